import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import {
  paySignature,
  serviceSignature,
  standardSignature,
} from '../../../../shared/webhooks/delivery/signed-request.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const body = bytes(
  '{"id":"evt_01kdvc2v0ke5rtj6wm1s1mkb9d","type":"invoice.paid","created_at":"2026-01-01T00:00:00.000Z","data":{}}',
);

describe('payments', () => {
  const signature = '7e072a1b106cbc70bfb01d848c7255b3397abe799c47ae550f265d9e1d6ba4bd';

  test('the published example', () => {
    expect(paySignature(['whsec_payments_example'], 1767225600, body)).toBe(`t=1767225600,v1=${signature}`);
  });

  test('one v1 for each secret, the newest first', () => {
    const other = createHmac('sha256', 'new').update('1767225600.').update(body).digest('hex');
    expect(paySignature(['new', 'whsec_payments_example'], 1767225600, body)).toBe(
      `t=1767225600,v1=${other},v1=${signature}`,
    );
  });
});

describe('records', () => {
  test('the published example', () => {
    expect(serviceSignature('whsec_records_example', body)).toBe(
      'sha256=b6d3a8fd7c64f95e4d3fe721457609f3be18ad0392653761dc5728c40a6c52b6',
    );
  });

  test.each([
    ['', 'f7f9bd47fb987337b5796fdc1fdb9ba221d0d5396814bfcaf9521f43fd8927fd'],
    ['{"obj1":"hello","obj2":"world"}', 'bebb1a643997f419b315ddba19e6f5411e1ce7f810ba6d3617ce72823092f363'],
    ['\u{1F600}', '837da296d05c4fe31f61d5d7ead035099d9585a5bcde87de952012a78f0b0c43'],
  ])('of %j', (text, hex) => {
    expect(serviceSignature('test_secret', bytes(text))).toBe(`sha256=${hex}`);
  });
});

describe('Standard Webhooks', () => {
  test('the example of the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const signature = standardSignature(
      [secret],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330,
      bytes('{"test": 2432232314}'),
    );
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  const now = Math.floor(Date.now() / 1000);
  const headers = (signature: string) => ({
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(now),
    'webhook-signature': signature,
  });
  const text = '{"name":"José \u{1F600}"}';

  test('the public library verifies it, with either secret of a rotation', () => {
    const secrets = [Buffer.alloc(24, 7), Buffer.alloc(24, 255)].map(
      (key) => `whsec_${key.toString('base64')}`,
    );
    const signature = standardSignature(secrets, 'whd_1', now, bytes(text));
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(text, headers(signature))).toEqual(JSON.parse(text));
    }
    expect(() => new Webhook(secrets[0] ?? '').verify(text.replace('J', 'j'), headers(signature))).toThrow();
  });

  test.each(['my secret', 'whsec_', 'whsec_not-base64', 'whsec_abc', 'whsec_payments_example'])(
    'a secret in another format is used as its bytes: %s',
    (secret) => {
      const signature = standardSignature([secret], 'whd_1', now, bytes(text));
      const raw = new Webhook(Buffer.from(secret), { format: 'raw' });
      expect(raw.verify(text, headers(signature))).toEqual(JSON.parse(text));
    },
  );
});
