/** Where a program is, under the first of its names that is found. Installs Debian's packages where that is possible. */
export function findProgram(names: readonly string[], packages: readonly string[]): string | undefined {
  const installed = (): string | undefined =>
    names.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined
  const found = installed()
  if (found || process.getuid?.() !== 0 || !Bun.which('apt-get')) return found
  const quietly = {
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const
  Bun.spawnSync(['apt-get', 'update'], quietly)
  Bun.spawnSync(['apt-get', 'install', '-y', '--no-install-recommends', ...packages], quietly)
  return installed()
}

/** The same command, told to end when this process has ended, whatever ends it. Elsewhere than on Linux it is not told. */
export const endingWithThis = (command: readonly string[]): string[] =>
  Bun.which('setpriv') ? ['setpriv', '--pdeathsig=TERM', ...command] : [...command]
