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
  const namesakes = new Map<string, A[]>();
  for (const agent of agents) {
    if (agent.revoked) continue;
    const key = lookOf(agent.given);
    const others = namesakes.get(key);
    if (others === undefined) namesakes.set(key, [agent]);
    else others.push(agent);
  }
  return agents.map((agent) => {
    const others = agent.revoked ? [agent] : (namesakes.get(lookOf(agent.given)) ?? [agent]);
    const name = others.length === 1 ? agent.given : `${agent.given.trim()} ${digitsOf(agent, others)}`;
    return name === agent.name ? agent : { ...agent, name };
  });
}

/** What two names that look alike have in common; what hides in a name is shown as its code, and sets it apart. */
function lookOf(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

function digitsOf({ publicKey }: Named, others: readonly Named[]): string {
  let digits = MIN_DIGITS;
  const isShared = () =>
    others.some((other) => other.publicKey !== publicKey && other.publicKey.startsWith(publicKey.slice(0, digits)));
  while (digits < publicKey.length && isShared()) digits++;
  return publicKey.slice(0, digits);
}
