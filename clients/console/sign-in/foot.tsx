// The foot of the navigation: the workspace, who is signed in, and how to change both.
import type { FC } from 'hono/jsx';
import { t } from '../kit/language.ts';
import type { SignedIn } from './browser-cookies.ts';
import { SignOut } from './layout.tsx';

export const SignedInFoot: FC<{ session: SignedIn }> = ({
  session: { workspace, email, formToken, hasOthers },
}) => (
  <>
    <p class="small signed-in">
      {workspace?.name}
      <br />
      <span class="muted">{t('Signed in as {email}.', { email })}</span>
    </p>
    {hasOthers && (
      <p class="small">
        <a href="/workspaces">{t('Switch workspace')}</a>
      </p>
    )}
    <SignOut formToken={formToken} />
  </>
);
