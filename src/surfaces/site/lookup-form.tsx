/** @jsxImportSource hono/jsx */

/** What is asked now, where a page already answers something: closed words only, never what somebody sent. */
export interface LookupValues {
  cpt?: string | undefined
  region?: string | undefined
  as_of?: string | undefined
  modifier?: string | undefined
  npi?: string | undefined
}

interface LookupFormProps {
  values?: LookupValues
  /** NPIs of hospitals whose files are loaded. */
  hospitals?: readonly string[]
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
        maxlength={24}
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
      <label for="npi">Hospital (NPI)</label>
      <input
        id="npi"
        name="npi"
        inputmode="numeric"
        maxlength={16}
        autocomplete="off"
        placeholder="optional"
        list={hospitals.length > 0 ? 'hospitals' : undefined}
        value={values.npi}
      />
      {hospitals.length > 0 && (
        <datalist id="hospitals">
          {hospitals.map((npi) => (
            <option value={npi}>{`Hospital with NPI ${npi}`}</option>
          ))}
        </datalist>
      )}
    </p>
    <p>
      <button type="submit">Look up</button>
    </p>
  </form>
)
