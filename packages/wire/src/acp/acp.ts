/** The ACP names the harness speaks. Everything is what a peer *should* send: readers check before they use. */

/** A prompt's content block (ACP v1 content); unknown types are passed on as they are. */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** One choice of a session/request_permission. */
export interface RequestedOption {
  readonly optionId: string;
  readonly name?: string;
  readonly kind?: string;
}

/** The outcome that answers a session/request_permission. */
export type PermissionOutcome =
  | { readonly outcome: 'selected'; readonly optionId: string }
  | { readonly outcome: 'cancelled' };

/** What answers an elicitation/create. */
export type ElicitationAction = 'accept' | 'decline' | 'cancel';

/** JSON-RPC error codes that ACP uses. */
export const RPC_METHOD_NOT_FOUND = -32601;
export const RPC_INVALID_PARAMS = -32602;
export const RPC_AUTH_REQUIRED = -32000;
