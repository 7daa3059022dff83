/** Pages that are open, whose they are, and whether somebody looks at one: what stands there is seen then. */
export interface OpenPages {
  /** Nobody looks at it before it says so. */
  opened(whose: Whose): OpenPage;
  /** Whether the owner has one open. */
  isOpen(): boolean;
  /** Those that somebody looks at. */
  looking(): readonly Whose[];
  /** Told when `looking` may be another one. @returns the function that ends it. */
  watch(changed: () => void): () => void;
}

export interface Whose {
  /** Absent: the owner. */
  readonly person?: string;
  /** Id of the credential. */
  readonly login: string;
}

/** Ends when it is closed. */
export interface OpenPage extends Disposable {
  /** It came to the front of its browser, or went from there. */
  seen(isSeen: boolean): void;
}

export function createOpenPages(): OpenPages {
  const open = new Map<OpenPage, { readonly whose: Whose; isSeen: boolean }>();
  const watchers = new Set<() => void>();
  const tell = (): void => {
    for (const changed of watchers) changed();
  };
  return {
    opened: (whose) => {
      const state = { whose, isSeen: false };
      const page: OpenPage = {
        seen: (isSeen) => {
          state.isSeen = isSeen;
          tell();
        },
        [Symbol.dispose]: () => {
          open.delete(page);
          tell();
        },
      };
      open.set(page, state);
      return page;
    },
    isOpen: () => [...open.values()].some(({ whose }) => whose.person === undefined),
    looking: () => [...open.values()].flatMap(({ whose, isSeen }) => (isSeen ? whose : [])),
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}
