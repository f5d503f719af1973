/** Runs steps to their end, saying after each how far all of it is. Pure but for the steps. */
export function* toldProgress<Step, T>(
  steps: Generator<Step, T>,
  progress: (step: Step) => number,
): Generator<number, T> {
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done === true) return next.value;
    yield progress(next.value);
  }
}
