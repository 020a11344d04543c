/**
 * Milliseconds of processor time since it was asked for. Tests that nothing is held up count these: the clock goes on while
 * other programs, or other guests of one host, have the processor.
 */
export function effort(): () => number {
  const began = process.cpuUsage()
  return () => process.cpuUsage(began).user / 1_000
}
