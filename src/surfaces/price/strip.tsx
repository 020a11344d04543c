/** @jsxImportSource hono/jsx */
import { dollars } from '../site/words.ts'
import type { LocalPrice } from './price-facts.ts'

const WIDTH = 720
const MARGIN = 8
const HEIGHT = 78

/** Every Medicare area as a mark on one line from the lowest to the highest price, with this one highlighted. */
export const LocalityStrip = ({ prices, here }: { prices: readonly LocalPrice[]; here: LocalPrice | undefined }) => {
  const amounts = prices.map(({ amount }) => Number(amount))
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)]
  const at = (amount: string): number =>
    Math.round((MARGIN + ((Number(amount) - low) / (high - low || 1)) * (WIDTH - 2 * MARGIN)) * 10) / 10
  const anchor = (x: number): string => (x < 90 ? 'start' : x > WIDTH - 90 ? 'end' : 'middle')
  const [first, last] = [prices[0], prices.at(-1)]
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={stripText(prices, here)}>
      <line class="axis" x1={MARGIN} x2={WIDTH - MARGIN} y1={44} y2={44} />
      {prices.map(({ amount }) => (
        <line class="mark" x1={at(amount)} x2={at(amount)} y1={34} y2={54} />
      ))}
      {here && (
        <>
          <line class="here" x1={at(here.amount)} x2={at(here.amount)} y1={26} y2={62} />
          <text class="strong" x={at(here.amount)} y={16} text-anchor={anchor(at(here.amount))}>
            {`${here.region} ${dollars(here.amount)}`}
          </text>
        </>
      )}
      <text x={MARGIN} y={74}>{`${first?.region} ${dollars(first?.amount ?? '')}`}</text>
      <text x={WIDTH - MARGIN} y={74} text-anchor="end">{`${last?.region} ${dollars(last?.amount ?? '')}`}</text>
    </svg>
  )
}

/** The strip in words. */
export function stripText(prices: readonly LocalPrice[], here: LocalPrice | undefined): string {
  const [first, last] = [prices[0], prices.at(-1)]
  if (!first || !last) return ''
  const range = `${prices.length} Medicare areas, from ${dollars(first.amount)} in ${first.region} to ${dollars(last.amount)} in ${last.region}.`
  if (!here) return range
  const below = prices.filter(({ amount }) => Number(amount) < Number(here.amount)).length
  return `${range} ${here.region} has ${dollars(here.amount)}: ${below} areas are lower.`
}
