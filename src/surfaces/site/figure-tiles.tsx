/** @jsxImportSource hono/jsx */
import { type FigureTile, WITHHELD_MEANS } from './figure-words.ts'

export const FigureTiles = ({ list }: { list: readonly FigureTile[] }) => (
  <>
    <dl class="tiles">
      {list.map(({ key, name, value, error, withheld, meaning }) => (
        <div>
          <dt>
            {name} <code>{key}</code>
          </dt>
          <dd class="value">
            {value ?? <span class="withheld">withheld</span>} {error && <span class="error">± {error}</span>}
          </dd>
          <dd>
            {meaning}
            {withheld && ` Withheld: ${withheld}.`}
          </dd>
        </div>
      ))}
    </dl>
    {list.some(({ withheld }) => withheld) && <p class="small">{WITHHELD_MEANS}</p>}
  </>
)
