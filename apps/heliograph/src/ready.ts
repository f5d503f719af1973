/** A line for other programs: what is up and where it is. These lines are all that stdout ever gets. */
export type Ready =
  | { readonly ready: 'relay'; readonly url: string }
  | {
      readonly ready: 'agent';
      readonly agent: string;
      readonly run: string;
      readonly stream: string;
      readonly channelId: string;
    }
  | { readonly ready: 'desktop'; readonly url: string }
  | { readonly ready: 'archive'; readonly file: string; readonly owner: string; readonly url?: string };

export function announce(ready: Ready): void {
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}
