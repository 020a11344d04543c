// PostGraphile over the same table, with its recommended production options.
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'

const [port, connectionString] = process.argv.slice(2)
const handler = postgraphile(connectionString, 'public', {
  disableQueryLog: true,
  graphiql: false,
  ignoreRBAC: false,
  legacyRelations: 'omit',
  setofFunctionsContainNulls: false,
  dynamicJson: true,
})
createServer(handler).listen(Number(port), '127.0.0.1')
