/** @jsxImportSource hono/jsx */
import { ScrollingTable } from '../site/layout.tsx'
import { amountsText, dollars } from '../site/words.ts'
import { arithmeticOf, type Formula } from './arithmetic.ts'
import type { PriceAnswer } from './price-facts.ts'

/** How the amount follows from what the file states. */
export const Calculation = (row: PriceAnswer) => {
  const { formula, cap, sentences } = arithmeticOf(row)
  return (
    <div>
      <h2>How it is computed</h2>
      {formula && <FormulaTable id="formula" caption="Relative values × area indices" formula={formula} />}
      {cap && (
        <div class="screen">
          <FormulaTable id="cap" caption="With the values of the outpatient system" formula={cap} />
        </div>
      )}
      {sentences.map((sentence) => (
        <p>{sentence}</p>
      ))}
      {formula && (
        <p>
          <strong>{amountsText(row.price)}</strong>
        </p>
      )}
      {row.adjustment && (
        <p>
          With modifier {row.adjustment.modifier}: {amountsText(row.price)} × {row.adjustment.factor} ={' '}
          <strong>{dollars(row.adjustment.amount)}</strong>
        </p>
      )}
    </div>
  )
}

const FormulaTable = ({ id, caption, formula }: { id: string; caption: string; formula: Formula }) => (
  <ScrollingTable
    id={id}
    caption={caption}
    head={['Part', 'Value', '× Index', 'Product']}
    numbers={3}
    foot={
      <>
        <tr>
          <th scope="row" colspan={3}>
            Sum
          </th>
          <td class="number">{formula.sum}</td>
        </tr>
        <tr>
          <th scope="row" colspan={3}>
            × conversion factor {formula.factor}
          </th>
          <td class="number">{formula.exact}</td>
        </tr>
      </>
    }
  >
    {formula.parts.map(({ name, rvu, gpci, product }) => (
      <tr>
        <th scope="row">{name}</th>
        <td class="number">{rvu}</td>
        <td class="number">{gpci}</td>
        <td class="number">{product}</td>
      </tr>
    ))}
  </ScrollingTable>
)
