/** @jsxImportSource hono/jsx */
import { type Hospital, hospitalText, MOST_IN_NAME } from '../words/hospitals.ts'

/** The question that a page answers already: closed words only, never a text that somebody sent. */
export interface LookupValues {
  cpt?: string | undefined
  region?: string | undefined
  as_of?: string | undefined
  modifier?: string | undefined
  npi?: string | undefined
}

interface LookupFormProps {
  values?: LookupValues
  hospitals?: readonly Hospital[]
  example?: string
}

/** Works without a script: the service leads from `/price` to the page of the price. */
export const LookupForm = ({ values = {}, hospitals = [], example = '99213' }: LookupFormProps) => (
  <form class="lookup" action="/price" method="get" aria-label="Look up a price">
    <p>
      <label for="cpt">Code, with modifier</label>
      <input
        id="cpt"
        name="cpt"
        required
        maxlength={24}
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        placeholder={`${example} or 71046-26`}
        value={values.modifier ? `${values.cpt}-${values.modifier}` : values.cpt}
      />
    </p>
    <p>
      <label for="region">Place</label>
      <input
        id="region"
        name="region"
        maxlength={100}
        autocomplete="postal-code"
        placeholder="ZIP code or state"
        value={values.region === 'national' ? undefined : values.region}
      />
    </p>
    <p>
      <label for="as_of">Day of service</label>
      <input id="as_of" name="as_of" type="date" value={values.as_of} />
    </p>
    <p>
      <label for="npi">Hospital</label>
      <HospitalField hospitals={hospitals} value={values.npi} placeholder="NPI or name" />
    </p>
    <p>
      <button type="submit">Look up</button>
    </p>
  </form>
)

/** More of them would make every page long. Those that have a name come first. */
const MOST_HOSPITALS = 200

interface HospitalFieldProps {
  hospitals: readonly Hospital[]
  value?: string | undefined
  placeholder: string
}

/** A hospital by NPI or by the operator's name for it, with those to choose from. */
export const HospitalField = ({ hospitals, value, placeholder }: HospitalFieldProps) => {
  const listed = hospitals
    .filter(({ file }) => file)
    .toSorted((a, b) => Number(a.name === undefined) - Number(b.name === undefined))
    .slice(0, MOST_HOSPITALS)
  return (
    <>
      <input
        id="npi"
        name="npi"
        maxlength={MOST_IN_NAME}
        autocomplete="off"
        placeholder={placeholder}
        list={listed.length > 0 ? 'hospitals' : undefined}
        value={value}
      />
      {listed.length > 0 && (
        <datalist id="hospitals">
          {listed.map((hospital) => (
            <option value={hospital.name ?? hospital.npi} data-npi={hospital.npi}>
              {hospitalText(hospital)}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}
