const APT_LOCK = '/var/lock/atr-tests-apt'

/** Where a program is, under the first of its names that is found. Installs Debian's packages where that is possible. */
export function findProgram(names: readonly string[], packages: readonly string[]): string | undefined {
  const installed = (): string | undefined =>
    names.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined
  const found = installed()
  if (found || process.getuid?.() !== 0 || !Bun.which('apt-get')) return found
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...packages)
  return installed()
}

/** One call at a time: processes of one run that need different packages would find apt locked, and go without. */
const apt = (...words: string[]): void => {
  Bun.spawnSync(['flock', APT_LOCK, 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...words], {
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

/** A command that ends when this process has ended, whatever ends it. Only Linux can do that. */
export const endingWithThis = (command: readonly string[]): string[] =>
  Bun.which('setpriv') ? ['setpriv', '--pdeathsig=TERM', ...command] : [...command]
