// Platformatic DB by its own interface for programs: one process that listens itself, without the runtime around it.
import { create } from '@platformatic/db';

const { DATABASE_URL, PORT, FOLDER } = process.env;

const settings = {
  $schema: 'https://schemas.platformatic.dev/@platformatic/db/3.67.0.json',
  db: { connectionString: DATABASE_URL, graphql: false, openapi: true },
  watch: false,
};
// Among the settings, the address would be changed to all addresses inside a container.
const serverConfig = { hostname: '127.0.0.1', port: Number(PORT), logger: { level: 'silent' } };
const app = await create(FOLDER, settings, { serverConfig });
await app.start({ listen: true });
