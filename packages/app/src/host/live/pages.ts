/** Whether the owner has a page open: what stands there alone is seen by somebody. */
export interface OpenPages {
  /** @returns what ends when it is closed. */
  opened(): Disposable;
  isOpen(): boolean;
}

export function createOpenPages(): OpenPages {
  const open = new Set<object>();
  return {
    opened: () => {
      const page = {};
      open.add(page);
      return { [Symbol.dispose]: () => void open.delete(page) };
    },
    isOpen: () => open.size > 0,
  };
}
