// Codes of other kinds than those of procedures, from the numbers that publishers and bills write, into the one form that rows have.

/** `470` is DRG-470. Medicare's groups of stays have three digits. */
export const stayCode = (text: string): string | undefined => (/^[0-9]{3}$/.test(text) ? `DRG-${text}` : undefined)

/** `302-3`, `302.3`, `3023` and `302`: a group of stays, and its level of severity where it is stated. */
export function severityCode(text: string): string | undefined {
  const [, group, level] = /^([0-9]{3})(?:[.-]?([0-4]))?$/.exec(text) ?? []
  return group && `APR-${group}${level === undefined ? '' : `.${level}`}`
}

/** `450` and `0450` are RC-0450: spreadsheets drop the zero. */
export const revenueCode = (text: string): string | undefined =>
  /^[0-9]{3,4}$/.test(text) && Number(text) > 0 ? `RC-${text.padStart(4, '0')}` : undefined

/** `5012` and `05012` are APC-5012. */
export function outpatientGroup(text: string): string | undefined {
  const [, number] = /^0?([0-9]{4})$/.exec(text) ?? []
  return number && `APC-${number}`
}

/**
 * `0781-1943-39` is NDC-00781194339: each part is filled with zeros to 5, 4 and 2 digits. Ten digits without dashes may be one of
 * three numbers, so they are none.
 */
export function drugCode(text: string): string | undefined {
  if (/^[0-9]{11}$/.test(text)) return `NDC-${text}`
  const [, labeler, product, pack] = /^([0-9]{1,5})-([0-9]{1,4})-([0-9]{1,2})$/.exec(text) ?? []
  return (
    labeler && product && pack && `NDC-${labeler.padStart(5, '0')}${product.padStart(4, '0')}${pack.padStart(2, '0')}`
  )
}
