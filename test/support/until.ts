/** Waits until something holds, asking often; half a minute is enough for a slow machine. */
export async function until(holds: () => boolean | Promise<boolean>, what = 'it holds'): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(20)
  }
}
