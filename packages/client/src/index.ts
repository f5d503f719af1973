export * from './clock.ts';
export * from './relay-state.ts';
export * from './viewer-event.ts';
