/** The page a browser gets where no desktop UI is served: what this is, and how to connect to it. */
export function landingPage({ name, url }: { readonly name: string; readonly url: string }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)}</title>
<main>
<h1>${escapeHtml(name)}</h1>
<p>This is a Nostr relay for watching and steering coding agents with Heliograph. It serves its owners and the agents
they vouch for, and nobody else.</p>
<p>Connect to <code>${escapeHtml(url)}</code></p>
<p>Programs read its limits here with <code>Accept: application/nostr+json</code> (NIP-11).</p>
</main>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
