/** A line by its place on the wire. */
export interface LinePlace {
  readonly stream: string;
  readonly seq: number;
}
