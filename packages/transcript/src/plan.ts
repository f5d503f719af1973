import { asObject, type JsonObject, list, object, objects, text } from './json.ts';
import type { PlanItem } from './model.ts';
import type { Step } from './step.ts';
import { markRunning, speechTurn } from './turn.ts';

const DEFAULT_PLAN = 'default';

/** `plan` (ACP v1): the whole checklist, each time. False when it has no list of entries. */
export function reducePlan(step: Step, update: JsonObject): boolean {
  return placePlan(step, DEFAULT_PLAN, update);
}

/** `plan_update` (ACP v2): one plan by its id. False for plans that are a file or Markdown: those are shown raw. */
export function reducePlanUpdate(step: Step, update: JsonObject): boolean {
  const plan = object(update, 'plan') ?? update;
  return placePlan(step, text(plan, 'planId') ?? DEFAULT_PLAN, plan);
}

/** `plan_removed`: what is left of the plan is an empty checklist. */
export function reducePlanRemoved(step: Step, update: JsonObject): boolean {
  return placePlan(step, text(update, 'planId') ?? DEFAULT_PLAN, { entries: [] });
}

/**
 * A todo list in the input of a tool call is its turn's plan: agents that keep one (opencode's todowrite) tell it in no other
 * way. One that is still being written is none.
 */
export function reduceTodos(step: Step, turn: number, input: JsonObject | undefined): void {
  const entries = readTodos(input);
  const isNew = step.draft.item(turn, `plan:${DEFAULT_PLAN}`) === undefined;
  if (entries !== undefined && !(isNew && entries.length === 0)) putPlan(step, turn, DEFAULT_PLAN, entries);
}

/** The todo list a tool call's input is, undefined where it is none. */
export function readTodos(input: JsonObject | undefined): PlanItem['entries'] | undefined {
  const todos = list(input, 'todos')?.map(asObject);
  const isList = todos?.every((todo) => text(todo, 'status') !== undefined && text(todo, 'content') !== undefined);
  return isList ? readEntries({ entries: todos }) : undefined;
}

function placePlan(step: Step, planId: string, plan: JsonObject): boolean {
  if (list(plan, 'entries') === undefined) return false;
  const turn = speechTurn(step);
  markRunning(step, turn);
  putPlan(step, turn, planId, readEntries(plan));
  return true;
}

function putPlan(step: Step, turn: number, planId: string, entries: PlanItem['entries']): void {
  step.place<PlanItem>(turn, `plan:${planId}`, (_, stamp) => ({ ...stamp, kind: 'plan', planId, entries }));
}

function readEntries(plan: JsonObject): PlanItem['entries'] {
  return (objects(plan, 'entries') ?? []).flatMap((entry) => {
    const content = text(entry, 'content');
    const priority = text(entry, 'priority');
    if (content === undefined) return [];
    return [{ content, status: text(entry, 'status') ?? 'pending', ...(priority === undefined ? {} : { priority }) }];
  });
}
