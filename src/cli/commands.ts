import type { Command } from './command.ts'

/** The commands. Each is loaded when it runs, so that a service starts without the readers of price lists. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init.ts')).init,
  serve: async () => (await import('./serve.ts')).serve,
  load: async () => (await import('./load.ts')).load,
  fetch: async () => (await import('./fetch.ts')).fetchCommand,
  update: async () => (await import('./update.ts')).update,
  release: async () => (await import('./release.ts')).release,
  providers: async () => (await import('./providers.ts')).providers,
  outcomes: async () => (await import('./figures.ts')).outcomes,
  figures: async () => (await import('./figures.ts')).figures,
  keys: async () => (await import('./keys.ts')).keys,
  export: async () => (await import('./export.ts')).exportCommand,
  log: async () => (await import('./log.ts')).log,
  verify: async () => (await import('./verify.ts')).verify,
  bill: async () => (await import('./bill.ts')).bill,
  monitor: async () => (await import('../../tools/monitor/command.ts')).monitor,
  mirror: async () => (await import('../../tools/mirror/command.ts')).mirror,
  citations: async () => (await import('./citations.ts')).citations,
  status: async () => (await import('./doctor.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  mcp: async () => (await import('./mcp.ts')).mcp,
  fsck: async () => (await import('./fsck.ts')).fsck,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  migrate: async () => (await import('./migrate.ts')).migrate,
  upgrade: async () => (await import('./upgrade.ts')).upgradeCommand,
  witness: async () => (await import('../../tools/witness/command.ts')).witness,
}

export const findCommand = async (name: string): Promise<Command | undefined> =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.() : undefined
