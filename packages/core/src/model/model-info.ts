// The words of models.ts and its table.

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}
export interface ModelInfo {
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly images: boolean;
  /** It can think before it answers. */
  readonly thinking: boolean;
  /** Absent when unknown: then no cost is shown rather than a wrong one. */
  readonly price?: Price;
}
