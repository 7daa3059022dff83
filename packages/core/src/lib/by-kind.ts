/** Unions told apart by `type`: one small function for each kind, in a table that the compiler checks. */

interface Kind {
  readonly type: string;
}
export type OfKind<Union extends Kind, Type extends Union["type"]> = Extract<Union, { readonly type: Type }>;

/** Every kind: one that is missing here does not compile. */
export type KindTable<Union extends Kind, Args extends readonly unknown[], Result> = {
  readonly [Type in Union["type"]]: (value: OfKind<Union, Type>, ...args: Args) => Result;
};

/** The kinds that somebody cares about; the others pass by. */
export type SomeKinds<Union extends Kind, Args extends readonly unknown[], Result> = Partial<
  KindTable<Union, Args, Result>
>;

export function byKind<Union extends Kind, Args extends readonly unknown[], Result>(
  table: KindTable<Union, Args, Result>,
  value: Union,
  ...args: Args
): Result {
  const entry = table[value.type as Union["type"]] as (value: Union, ...args: Args) => Result; // the entry for this kind takes this kind
  return entry(value, ...args);
}

/** @returns undefined for a kind that is not in the table. */
export function bySomeKind<Union extends Kind, Args extends readonly unknown[], Result>(
  table: SomeKinds<Union, Args, Result>,
  value: Union,
  ...args: Args
): Result | undefined {
  const entry = table[value.type as Union["type"]] as ((value: Union, ...args: Args) => Result) | undefined; // as above
  return entry?.(value, ...args);
}

/** Those of one kind, in their order. */
export function allOf<Union extends Kind, Type extends Union["type"]>(
  values: readonly Union[],
  type: Type,
): readonly OfKind<Union, Type>[] {
  return values.filter((value): value is OfKind<Union, Type> => value.type === type);
}

/** The first of one kind. */
export function firstOf<Union extends Kind, Type extends Union["type"]>(
  values: readonly Union[],
  type: Type,
): OfKind<Union, Type> | undefined {
  return values.find((value): value is OfKind<Union, Type> => value.type === type);
}
