/** An action that is not possible. The message is shown on the page. */
export class ActionRefused extends Error {}
