/** Something that cannot be done, said in words for the page. */
export class ActionRefused extends Error {}
