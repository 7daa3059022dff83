/** What happens in one chat happens in its order; a slow file there holds up nobody else. */
export class Lanes {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #failed: (error: unknown) => void;

  /** @param failed told of the first thing that goes wrong: what waits behind it is left */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  run(chat: string, act: () => Promise<void>): Promise<void> {
    const before = this.#tails.get(chat) ?? Promise.resolve();
    const tail = before.then(act);
    this.#tails.set(chat, tail);
    const done = (): void => {
      if (this.#tails.get(chat) === tail) this.#tails.delete(chat);
    };
    return tail.then(done, (error: unknown) => this.#failed(error));
  }

  /** All that was begun is over. */
  async over(): Promise<void> {
    await Promise.allSettled(this.#tails.values());
  }
}
