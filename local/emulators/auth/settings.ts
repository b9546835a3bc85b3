// `GET /settings`: public settings of the project, as in `supabase/config.toml`.

const providers = (
  'anonymous_users apple azure bitbucket discord facebook snapchat figma fly github gitlab google keycloak kakao ' +
  'linkedin linkedin_oidc notion spotify slack slack_oidc workos twitch twitter phone zoom'
).split(' ');

export const settings = {
  external: { ...Object.fromEntries(providers.map((name) => [name, false])), email: true },
  disable_signup: true,
  mailer_autoconfirm: false,
  phone_autoconfirm: false,
  sms_provider: '',
  saml_enabled: false,
  saml_private_key_next_configured: false,
  passkeys_enabled: false,
};
