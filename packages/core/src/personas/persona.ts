// What a personality is made of.

/** The twelve built-in personalities. */
export type PresetId =
  | "grumpy"
  | "roast"
  | "gentle"
  | "blunt"
  | "toxic"
  | "chatty"
  | "philosopher"
  | "cute"
  | "humorous"
  | "hyper"
  | "chuuni"
  | "zen";

export interface Persona {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly traits: readonly string[];
  readonly style: string;
  /** Own personas only: said in place of everything above, at most 2,000 characters. */
  readonly custom?: string;
}
