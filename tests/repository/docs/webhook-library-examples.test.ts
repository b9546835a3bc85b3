// The examples with the package `standardwebhooks` in docs/webhooks.md verify deliveries that Placar signed.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateSecret, standardSignature } from '../../../shared/webhooks/delivery/signed-request.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
const dir = mkdtempSync(join(tmpdir(), 'placar-snippets-'));
const run = promisify(execFile);
const { PATH = '', HOME = '' } = process.env;

const block = (language: string) =>
  Array.from(
    page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
    ([, code = '']) => code,
  ).find((code) => code.includes('standardwebhooks')) ?? '';

/** A replacement without pip: the algorithm of https://www.standardwebhooks.com. */
const PYTHON_LIBRARY = `
import base64, hashlib, hmac, json, time

class Webhook:
    def __init__(self, secret):
        if isinstance(secret, str):
            secret = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
        self.key = secret

    def verify(self, data, headers):
        found = {name.lower(): value for name, value in headers.items()}
        id, timestamp = found["webhook-id"], found["webhook-timestamp"]
        if abs(time.time() - int(timestamp)) > 300:
            raise ValueError("timestamp")
        digest = hmac.new(self.key, f"{id}.{timestamp}.".encode() + data, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        if not any(hmac.compare_digest(expected, one) for one in found["webhook-signature"].split(" ")):
            raise ValueError("signature")
        return json.loads(data)
`;

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  writeFileSync(join(dir, 'verify.ts'), block('ts'));
  writeFileSync(
    join(dir, 'call.ts'),
    `import { verify } from './verify.ts';
const { body, headers } = JSON.parse(process.env.DELIVERY ?? '');
console.log(JSON.stringify(verify(Buffer.from(body), headers)));`,
  );
  writeFileSync(join(dir, 'verify.py'), block('python'));
  writeFileSync(
    join(dir, 'call.py'),
    `import json, os
from verify import verify
delivery = json.loads(os.environ["DELIVERY"])
print(json.dumps(verify(delivery["body"].encode(), delivery["headers"])))`,
  );
  const installed = await run('python3', ['-c', 'import standardwebhooks']).then(
    () => true,
    () => false,
  );
  if (installed) return;
  mkdirSync(join(dir, 'standardwebhooks'));
  writeFileSync(join(dir, 'standardwebhooks', '__init__.py'), '');
  writeFileSync(join(dir, 'standardwebhooks', 'webhooks.py'), PYTHON_LIBRARY);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Delivery {
  body: string;
  headers: Record<string, string>;
}

/** A delivery signed with all of these secrets, as during a rotation. */
function deliver(...secrets: string[]): Delivery {
  const body = '{"type":"lead.created","data":{"name":"José"}}';
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = standardSignature(secrets, 'whd_1', timestamp, new TextEncoder().encode(body));
  return {
    body,
    headers: {
      'webhook-id': 'whd_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    },
  };
}

const examples = {
  TypeScript: [process.execPath, '--import', join(root, 'node_modules/tsx/dist/esm/index.mjs'), 'call.ts'],
  Python: ['python3', 'call.py'],
} as const;

/** The output of the example for a delivery, with this secret in its settings. */
async function verified(
  language: keyof typeof examples,
  secret: string,
  delivery: Delivery,
): Promise<string> {
  const [command, ...args] = examples[language];
  const env = { PATH, HOME, WEBHOOK_SECRET: secret, DELIVERY: JSON.stringify(delivery) };
  return (await run(command, [...args], { cwd: dir, env })).stdout.trim();
}

const [shown = ''] = /whsec_[\w+/=]{20,}/.exec(page) ?? [];

test.each(['TypeScript', 'Python'] as const)(
  'the example in %s accepts only our signatures',
  async (language) => {
    const [secret, other] = [generateSecret(), generateSecret()];
    const delivery = deliver(secret);
    const results = await Promise.allSettled([
      verified(language, shown, deliver(shown)),
      verified(language, secret, deliver(other, secret)),
      verified(language, other, delivery),
      verified(language, secret, { ...delivery, body: delivery.body.replace('José', 'Jose') }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    for (const result of results.slice(0, 2)) {
      expect(JSON.parse(result.status === 'fulfilled' ? result.value : '')).toEqual(
        JSON.parse(delivery.body),
      );
    }
  },
);

test('the example in TypeScript compiles in strict mode', async () => {
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), [...flags, 'verify.ts'], { cwd: dir });
  expect(stdout).toBe('');
});

test.each(['a secret of your own', 'whsec_no base64', 'whsec_dW5wYWRkZWQ'])(
  'the library accepts a secret of another format, "%s", if the format is given',
  (secret) => {
    const { body, headers } = deliver(secret);
    expect(new Webhook(secret, { format: 'raw' }).verify(body, headers)).toEqual(JSON.parse(body));
  },
);
