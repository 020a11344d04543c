// Fastify with pg: one prepared statement for each request, without limits, checks or proofs.
import Fastify from 'fastify'
import pg from 'pg'

const [port, connectionString] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 10 })
const app = Fastify()
app.get('/row/:key', async (request, reply) => {
  const { rows } = await pool.query({
    name: 'row',
    text: 'SELECT body FROM price_row WHERE row_key = $1',
    values: [request.params.key],
  })
  return rows[0] ? reply.type('application/json').send(rows[0].body) : reply.code(404).send()
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
