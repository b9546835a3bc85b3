// Platformatic DB by its programmatic API: a single process without the Platformatic runtime.
import { create } from '@platformatic/db';

const { DATABASE_URL, PORT, FOLDER } = process.env;

const settings = {
  $schema: 'https://schemas.platformatic.dev/@platformatic/db/3.67.0.json',
  db: { connectionString: DATABASE_URL, graphql: false, openapi: true },
  watch: false,
};
// In `settings`, the host name would be replaced by all interfaces within a container.
const serverConfig = { hostname: '127.0.0.1', port: Number(PORT), logger: { level: 'silent' } };
const app = await create(FOLDER, settings, { serverConfig });
await app.start({ listen: true });
