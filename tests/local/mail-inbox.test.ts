import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { createInbox, type RecordedRequest } from '../../local/emulators/inbox.ts';
import { createMailbox, type RecordedMail } from '../../local/emulators/mailbox.ts';
import { temporaryDirectory } from '../support/qstash.ts';

const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

async function list<T>(app: Hono, path: string): Promise<T[]> {
  const response = await app.request(path);
  expect(response.status).toBe(200);
  return (await response.json()) as T[];
}

describe('mailbox', () => {
  test('lists emails with their links, newest first, also after a restart', async () => {
    const directory = await temporaryDirectory();
    const mailbox = createMailbox(directory);
    await mailbox.add({ to: ['ana@acme.test'], subject: 'First', text: 'No link.' });
    await mailbox.add({
      to: ['bia@acme.test', 'caio@acme.test'],
      subject: 'Invitation',
      text: 'Accept: http://127.0.0.1:54321/v1/invitations/accept?token=a&x=1. Help (https://placar.test/help).',
    });
    const mails = [
      {
        id: expect.stringMatching(/^mail_/),
        at,
        to: ['bia@acme.test', 'caio@acme.test'],
        subject: 'Invitation',
        text: expect.stringContaining('Accept'),
        links: ['http://127.0.0.1:54321/v1/invitations/accept?token=a&x=1', 'https://placar.test/help'],
      },
      { id: expect.any(String), at, to: ['ana@acme.test'], subject: 'First', text: 'No link.', links: [] },
    ];
    expect(await list<RecordedMail>(new Hono().route('/mail', mailbox.routes), '/mail')).toEqual(mails);

    const reopened = createMailbox(directory);
    expect(await list<RecordedMail>(reopened.routes, '/')).toEqual(mails);
    await reopened.add({ to: ['x@acme.test'], subject: 'Third', text: '' });
    expect((await list<RecordedMail>(reopened.routes, '/')).map(({ subject }) => subject)).toEqual([
      'Third',
      'Invitation',
      'First',
    ]);
    expect((await reopened.routes.request('/', { method: 'DELETE' })).status).toBe(204);
    expect(await list(reopened.routes, '/')).toEqual([]);
    expect(await list(createMailbox(directory).routes, '/')).toEqual([]);
  });

  test('keeps the newest five hundred', async () => {
    const directory = await temporaryDirectory();
    const mailbox = createMailbox(directory);
    await Promise.all(
      Array.from({ length: 503 }, (_, n) => mailbox.add({ to: ['a@acme.test'], subject: `${n}`, text: '' })),
    );
    for (const mails of [mailbox, createMailbox(directory)]) {
      const subjects = (await list<RecordedMail>(mails.routes, '/')).map(({ subject }) => subject);
      expect(subjects).toHaveLength(500);
      expect([subjects[0], subjects[499]]).toEqual(['502', '3']);
    }
  });
});

describe('inbox', () => {
  test('records every request to it or below it, newest first, also after a restart', async () => {
    const directory = await temporaryDirectory();
    const app = new Hono().route('/inbox', createInbox(directory).routes);
    const body = '{"a": 1,\n "b": "ção"}';
    const sent = [
      await app.request('/inbox', { method: 'POST', body, headers: { 'Webhook-Id': 'evt_1' } }),
      await app.request('/inbox/deep/er?x=1', { method: 'PUT', body: '' }),
      await app.request('/inbox/deep', { method: 'DELETE' }),
      await app.request('/inbox/deep'),
    ];
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const requests = [
      { at, path: '/deep', headers: {}, body: '' },
      { at, path: '/deep', headers: {}, body: '' },
      { at, path: '/deep/er', headers: expect.any(Object), body: '' },
      { at, path: '/', headers: expect.objectContaining({ 'webhook-id': 'evt_1' }), body },
    ];
    expect(await list(app, '/inbox')).toEqual(requests);
    expect(await list(app, '/inbox/')).toEqual(requests);

    const reopened = new Hono().route('/inbox', createInbox(directory).routes);
    expect(await list(reopened, '/inbox')).toEqual(requests);
    expect((await reopened.request('/inbox', { method: 'DELETE' })).status).toBe(204);
    expect(await list(reopened, '/inbox')).toEqual([]);
  });

  test('truncates a body after 1 MiB and keeps the newest thousand', async () => {
    const { routes } = createInbox(await temporaryDirectory());
    await routes.request('/big', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    expect((await list<RecordedRequest>(routes, '/'))[0]?.body).toHaveLength(1024 * 1024);
    await Promise.all(Array.from({ length: 1000 }, (_, n) => routes.request(`/${n}`, { method: 'POST' })));
    const requests = await list<RecordedRequest>(routes, '/');
    expect(requests).toHaveLength(1000);
    expect(requests.some(({ path }) => path === '/big')).toBe(false);
  });
});
