// The README, the tour and the page about files of one's own, as a reader would follow them: every command is run, and must print
// what is printed there.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/harness.ts'
import { freePort } from '../support/port.ts'
import { DemoService } from '../support/service.ts'

const ROOT = join(import.meta.dir, '../..')
const WRITTEN_FOR = '127.0.0.1:8787'
const END = '@@ end of an output @@'

interface Step {
  command: string
  /** As the README has it: broken into lines, `…` where something was left out. */
  printed: string
}

/** The steps of a page, and before them the variables that it sets. */
function stepsOf(page: string, heading?: string): Step[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const part = heading === undefined ? text : text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`))
  const blocks = [...(part ?? '').matchAll(/```(sh|console)\n([\s\S]*?)```/g)]
  return blocks.flatMap(([, kind, text = '']) =>
    kind === 'sh'
      ? [{ command: text.trim(), printed: '' }]
      : text
          .split(/^\$ /m)
          .slice(1)
          .map((step) => {
            const command = /^(?:.*\\\n)*.*\n/.exec(step)?.[0] ?? ''
            return { command: command.trim(), printed: step.slice(command.length) }
          }),
  )
}

/** All steps in one shell, since later ones use what earlier ones set. */
async function run(steps: readonly Step[], environment: Record<string, string>): Promise<string[]> {
  // A service sees what another process has published within about a second, which a reader takes to type the next command.
  const pause = (command: string): string => (command.includes(' --publish') ? 'sleep 2\n' : '')
  const script = steps.map(({ command }) => `${command}\n${pause(command)}echo; echo '${END}'`).join('\n')
  // A terminal shows both outputs.
  const child = Bun.spawn(['bash', '-c', `exec 2>&1\n${script}`], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const outputs = (await new Response(child.stdout).text()).split(END)
  await child.exited
  return outputs
}

const squeezed = (text: string): string => text.replaceAll(/\s+/g, '')

function expectPrinted({ command, printed }: Step, output: string): void {
  const literal = squeezed(printed)
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('[^]*?')
  expect([command, squeezed(output)]).toEqual([command, expect.stringMatching(new RegExp(`^${literal}$`))])
}

/** The README shows the demo's usual port. */
const elsewhere = (steps: readonly Step[], from: string, to: string): Step[] =>
  steps.map(({ command, printed }) => ({
    command: command.replaceAll(from, to),
    printed: printed.replaceAll(from, to),
  }))

test('the five things to try, and the tour, print what they say', async () => {
  const port = await freePort()
  await using service = await DemoService.startNew({ PORT: String(port) })
  const written = [...stepsOf('README.md', 'Five things to try'), ...stepsOf('docs/tour.md')]
  const steps = elsewhere(written, WRITTEN_FOR, `127.0.0.1:${port}`)
  expect(steps.length).toBeGreaterThan(35)
  const outputs = await run(steps, service.environment)
  for (const [i, step] of steps.entries()) expectPrinted(step, outputs[i] ?? '')
})

test('a store of one\u2019s own is made as it says', async () => {
  using folder = temporaryFolder()
  const steps = elsewhere(stepsOf('docs/operate/own-files.md'), './mine', join(folder.path, 'mine'))
  expect(steps.length).toBeGreaterThan(6)
  const outputs = await run(steps, {})
  for (const [i, step] of steps.entries()) expectPrinted(step, outputs[i] ?? '')
})
