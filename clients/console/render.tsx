// Renders pages as responses.
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { t } from './kit/language.ts';
import { Brand, Document } from './kit/layout.tsx';

export interface Renderable {
  toString(): string | Promise<string>;
}

export async function sendPage(
  c: Context,
  page: Renderable,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  return c.html(`<!doctype html>${await page.toString()}`, status);
}

/** Responds with a page that explains why something failed or was not found. */
export function sendMessage(
  c: Context,
  status: ContentfulStatusCode,
  { title, text }: { title: string; text: Child },
): Promise<Response> {
  const page = (
    <Document title={`${title} · Placar`} class="message">
      <main id="main" tabindex={-1}>
        <Brand />
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a class="button primary" href="/">
            {t('Go to overview')}
          </a>
        </p>
      </main>
    </Document>
  );
  return sendPage(c, page, status);
}
