/** @jsxImportSource hono/jsx */
import { amountsText, dollars, inWords } from '../site/words.ts'
import type { Edition } from './price-facts.ts'

const WIDTH = 720
const HEIGHT = 150
const [LEFT, RIGHT, TOP, BOTTOM] = [8, 8, 26, 34]
const DAY_MS = 86_400_000

interface Step {
  amount: string
  from: number
  to: number
}

/** One step for each edition with a single amount; an edition that ends in a far year is drawn as long as the one before. */
function stepsOf(editions: readonly Edition[]): Step[] {
  const dated = editions.flatMap(({ price, effective_from, effective_to }) =>
    price && 'amount' in price
      ? [{ amount: price.amount, from: Date.parse(effective_from), to: Date.parse(effective_to) + DAY_MS }]
      : [],
  )
  const last = dated.at(-1)
  if (!last) return []
  const usual = Math.max(90 * DAY_MS, (dated.at(-2)?.to ?? 0) - (dated.at(-2)?.from ?? 0))
  return [...dated.slice(0, -1), { ...last, to: Math.min(last.to, last.from + usual) }]
}

/** Undefined where there is nothing to compare. */
export const HistoryChart = ({ editions }: { editions: readonly Edition[] }) => {
  const steps = stepsOf(editions)
  const [first, last] = [steps[0], steps.at(-1)]
  if (steps.length < 2 || !first || !last) return null
  const amounts = steps.map(({ amount }) => Number(amount))
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)]
  const round = (value: number): number => Math.round(value * 10) / 10
  const x = (time: number): number =>
    round(LEFT + ((time - first.from) / (last.to - first.from)) * (WIDTH - LEFT - RIGHT))
  const middle = (TOP + HEIGHT - BOTTOM) / 2
  const y = (amount: string): number =>
    low === high ? middle : round(HEIGHT - BOTTOM - ((Number(amount) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM))
  const path = steps.map(({ amount, from, to }, at) => {
    const isJoined = at > 0 && steps[at - 1]?.to === from
    return `${isJoined ? 'L' : 'M'}${x(from)} ${y(amount)}L${x(to)} ${y(amount)}`
  })
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={historyText(editions)}>
      <line class="axis" x1={LEFT} x2={WIDTH - RIGHT} y1={HEIGHT - 22} y2={HEIGHT - 22} />
      <path class="step" d={path.join('')} />
      {steps.map(({ amount, from }) => (
        <circle class="dot" cx={x(from)} cy={y(amount)} r={4} />
      ))}
      <text class="strong" x={x(first.from)} y={y(first.amount) - 10}>
        {dollars(first.amount)}
      </text>
      <text class="strong" x={x(last.to)} y={y(last.amount) - 10} text-anchor="end">
        {dollars(last.amount)}
      </text>
      <text x={LEFT} y={HEIGHT - 6}>
        {inWords(new Date(first.from).toISOString())}
      </text>
      <text x={x(last.from)} y={HEIGHT - 6} text-anchor={x(last.from) > WIDTH - 160 ? 'end' : 'middle'}>
        {inWords(new Date(last.from).toISOString())}
      </text>
    </svg>
  )
}

/** The chart in words. */
export const historyText = (editions: readonly Edition[]): string =>
  editions
    .map(({ effective_from, price }) => `${price ? amountsText(price) : 'no price'} from ${inWords(effective_from)}`)
    .join('; ')
    .concat('.')
