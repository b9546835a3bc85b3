// Runs in a thread of its own: holds a connection to Postgres and answers whoever waits for it without an event loop.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';

/** `shared` is what the other side waits on: 1 once an answer is there. */
const { databaseUrl, shared, port } = workerData;
const flag = new Int32Array(shared);
const url = new URL(databaseUrl);
const socket = connect(Number(url.port), url.hostname);

const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

function frame(type, body) {
  const head = Buffer.alloc(type.length + 4);
  head.write(type);
  head.writeInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
}

const text = (...parts) => Buffer.from(parts.map((part) => `${part}\0`).join(''));

/** SCRAM-SHA-256 (RFC 5802, RFC 7677) without channel binding, as Postgres asks for it. */
const nonce = randomBytes(18).toString('base64');
const firstBare = `n=,r=${nonce}`;
function finalMessage(serverFirst) {
  const {
    r = '',
    s = '',
    i = '',
  } = Object.fromEntries(serverFirst.split(',').map((part) => [part[0], part.slice(2)]));
  const salted = pbkdf2Sync(
    decodeURIComponent(url.password),
    Buffer.from(s, 'base64'),
    Number(i),
    32,
    'sha256',
  );
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=biws,r=${r}`;
  const signature = hmac(
    createHash('sha256').update(clientKey).digest(),
    [firstBare, serverFirst, withoutProof].join(','),
  );
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  return `${withoutProof},p=${proof.toString('base64')}`;
}

const READY = 'Z'.charCodeAt(0);
let received = Buffer.alloc(0);
let answer = [];

/** Gives what came to whoever waits. */
function hand() {
  port.postMessage(Buffer.concat(answer));
  answer = [];
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
}

function take(type, body, whole) {
  if (type === 'R' && body.readInt32BE(0) !== 0) {
    const kind = body.readInt32BE(0);
    if (kind === 10) {
      const first = Buffer.from(`n,,${firstBare}`);
      const length = Buffer.alloc(4);
      length.writeInt32BE(first.length);
      socket.write(frame('p', Buffer.concat([text('SCRAM-SHA-256'), length, first])));
    }
    if (kind === 11) socket.write(frame('p', Buffer.from(finalMessage(body.subarray(4).toString()))));
    return;
  }
  answer.push(whole);
  if (whole[0] === READY) hand();
}

socket.on('data', (chunk) => {
  received = Buffer.concat([received, chunk]);
  while (received.length >= 5) {
    const length = 1 + received.readInt32BE(1);
    if (received.length < length) return;
    const whole = received.subarray(0, length);
    received = received.subarray(length);
    take(String.fromCharCode(whole[0] ?? 0), whole.subarray(5), whole);
  }
});
// Whoever waits gets what there is, and fails by it.
for (const end of ['close', 'error']) socket.on(end, hand);

socket.on('connect', () => {
  const version = Buffer.alloc(4);
  version.writeInt32BE(196608);
  const settings = text('user', decodeURIComponent(url.username), 'database', url.pathname.slice(1), '');
  socket.write(frame('', Buffer.concat([version, settings])));
});
port.on('message', (bytes) => {
  socket.write(bytes);
});
