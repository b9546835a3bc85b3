// PostGraphile with its recommended production settings: only persisted operations, and no GraphiQL, explain, watch mode or
// websockets. Role and tenant are set for the transaction of each request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { PersistedPlugin } from '@grafserv/persisted';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL, PORT, OPERATIONS_FILE } = process.env;

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [PersistedPlugin],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['public'], pubsub: false })],
  grafast: {
    explain: false,
    context: ({ node }) => ({
      pgSettings: { role: 'api', 'app.tenant_id': node.req.headers['x-tenant-id'] },
    }),
  },
  grafserv: {
    graphiql: false,
    watch: false,
    websockets: false,
    outputDataAsString: true,
    persistedOperations: JSON.parse(readFileSync(OPERATIONS_FILE, 'utf8')),
  },
};

const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(Number(PORT), '127.0.0.1');
