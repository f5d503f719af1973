/** The addresses in a field, apart by spaces or commas. */
export function relayUrls(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((url) => url !== '');
}

/** What is wrong with the first that is no relay's address. */
export function relayProblem(urls: readonly string[]): string | undefined {
  const bad = urls.find((url) => !/^wss?:\/\//.test(url) || !URL.canParse(url));
  return bad === undefined ? undefined : `“${bad}” is no relay: it must start with ws:// or wss://.`;
}
