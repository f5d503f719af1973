/** What names an agent on the screen. */
interface Named {
  readonly publicKey: string;
  readonly revoked: boolean;
  /** By its owner, else by itself. */
  readonly given: string;
  /** `given`, and where another agent is called so too, the first digits of its key. */
  readonly name: string;
}

/** Digits of a key that are shown at least. */
const MIN_DIGITS = 4;

/** The agents with names by which each can be told from every other that is trusted; whose name stays is the same value. */
export function toldApart<A extends Named>(agents: readonly A[]): readonly A[] {
  const trusted = agents.filter(({ revoked }) => !revoked);
  const namesakes = groupBy(trusted, ({ given }) => lookOf(given));
  const names = new Map(trusted.map((agent) => [agent.publicKey, agent.given]));
  // An agent may call itself what another is called with its digits: then it has its own, and so on.
  for (let isAmbiguous = true; isAmbiguous; ) {
    isAmbiguous = false;
    for (const alike of groupBy(trusted, ({ publicKey, given }) => lookOf(names.get(publicKey) ?? given)).values()) {
      if (alike.length === 1) continue;
      for (const agent of alike) {
        const name = `${agent.given.trim()} ${digitsOf(agent, namesakes.get(lookOf(agent.given)) ?? alike)}`;
        isAmbiguous ||= names.get(agent.publicKey) !== name;
        names.set(agent.publicKey, name);
      }
    }
  }
  return agents.map((agent) => {
    const name = (agent.revoked ? undefined : names.get(agent.publicKey)) ?? agent.given;
    return name === agent.name ? agent : { ...agent, name };
  });
}

function groupBy<A>(values: readonly A[], keyOf: (value: A) => string): ReadonlyMap<string, readonly A[]> {
  const groups = new Map<string, A[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** What two names that look alike have in common; what hides in a name is shown as its code, and sets it apart. */
function lookOf(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function digitsOf({ publicKey }: Named, others: readonly Named[]): string {
  let digits = MIN_DIGITS;
  const isShared = () =>
    others.some((other) => other.publicKey !== publicKey && other.publicKey.startsWith(publicKey.slice(0, digits)));
  while (digits < publicKey.length && isShared()) digits++;
  return publicKey.slice(0, digits);
}
