/** Freezes a table with all that is in it: whoever reads it cannot change it for the others. */
export function frozen<Table>(table: Table): Table {
  if (typeof table === 'object' && table !== null && !Object.isFrozen(table))
    for (const each of Object.values(Object.freeze(table))) frozen(each)
  return table
}
