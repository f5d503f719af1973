type LogLine = (fields: object, message: string) => void;

/** Where the relay's log lines go; pino fits. Lines hold keys, counts and reasons, never an event. */
export interface Log {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}
