/** How far a session was taken: the lowest number behind which something is missing, whatever came before its turn. */

/** Numbers that are missing for so long were never used. */
const PATIENCE = 100;

export class Progress {
  #seq: number;
  readonly #early = new Set<number>();

  constructor(seq: number) {
    this.#seq = seq;
  }

  get seq(): number {
    return this.#seq;
  }

  done(seq: number): void {
    if (seq <= this.#seq) return;
    this.#early.add(seq);
    if (this.#early.size > PATIENCE) this.#seq = Math.min(...this.#early) - 1;
    while (this.#early.delete(this.#seq + 1)) this.#seq += 1;
  }
}
