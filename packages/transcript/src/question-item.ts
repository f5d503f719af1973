import type { ElicitationDecision, ElicitationItem, Item, PermissionDecision, PermissionItem } from './model.ts';

/** Something the agent asks its owner: leave to do something, or a form to fill in. */
export type QuestionItem = PermissionItem | ElicitationItem;
/** What is known of an ending: members that are `undefined` leave what an earlier word said. */
export type QuestionEnding = Partial<Omit<PermissionDecision, 'reason'> & Omit<ElicitationDecision, 'reason'>> & {
  readonly reason: string;
};

/** Whether an item is a question. */
export function isQuestion(item: Item): item is QuestionItem {
  return item.kind === 'permission' || item.kind === 'elicitation';
}

/** The question with this ending, and with what was known of its ending before. */
export function decideItem(item: QuestionItem, { reason, ...said }: QuestionEnding): QuestionItem {
  const decidedBy = said.decidedBy ?? item.decision?.decidedBy;
  if (item.kind === 'permission') {
    return {
      ...item,
      state: 'decided',
      decision: { reason, optionId: said.optionId ?? item.decision?.optionId, decidedBy },
    };
  }
  const action = said.action ?? item.decision?.action;
  const content = said.content ?? item.decision?.content;
  return { ...item, state: 'decided', decision: { reason, action, content, decidedBy } };
}
