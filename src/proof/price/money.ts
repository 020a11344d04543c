// Exact money: amounts are decimal texts with two to four places, and hundredths of a cent inside.

/** '95.19' is 951900n: hundredths of a cent. */
export function tenThousandths(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(4, '0'))
}

/** 951900n is '95.19': two places, or more where they are needed. */
export function amountText(value: bigint): string {
  const digits = String(value).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0{1,2}$/, '')
  return `${digits.slice(0, -4)}.${fraction}`
}

/** Compares two amounts exactly. */
export const compareAmounts = (a: string, b: string): number => {
  const difference = tenThousandths(a) - tenThousandths(b)
  return difference < 0n ? -1 : Number(difference > 0n)
}
