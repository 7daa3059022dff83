/** The questions of the set-up, asked with clack; loaded when the first one is asked. */

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}
/** @returns undefined from every question: the person cancelled. */
export interface Prompts {
  intro(title: string): void;
  note(text: string): void;
  outro(text: string): void;
  select(message: string, options: readonly Option[], initial: string): Promise<string | undefined>;
  text(message: string, initial: string, validate: (text: string) => string | undefined): Promise<string | undefined>;
  password(message: string, validate: (text: string) => string | undefined): Promise<string | undefined>;
  confirm(message: string): Promise<boolean | undefined>;
  /** Shows that something takes a moment. */
  wait<T>(message: string, work: Promise<T>): Promise<T>;
}

export async function clackPrompts(signal: AbortSignal): Promise<Prompts> {
  const clack = await import("@clack/prompts");
  const given = <T>(answer: T): Exclude<T, symbol> | undefined =>
    typeof answer === "symbol" ? undefined : (answer as Exclude<T, symbol>); // what is left after the check
  return {
    intro: (title) => clack.intro(title),
    note: (text) => clack.log.info(text),
    outro: (text) => clack.outro(text),
    async select(message, options, initial) {
      return given(
        await clack.select<string>({
          message,
          options: options.map((option) => ({ ...option })),
          initialValue: initial,
          signal,
        }),
      );
    },
    async text(message, initial, validate) {
      return given(
        await clack.text({ message, initialValue: initial, validate: (value) => validate(value ?? ""), signal }),
      );
    },
    async password(message, validate) {
      return given(await clack.password({ message, validate: (value) => validate(value ?? ""), signal }));
    },
    async confirm(message) {
      return given(await clack.confirm({ message, signal }));
    },
    async wait(message, work) {
      const spinner = clack.spinner();
      spinner.start(message);
      try {
        return await work;
      } finally {
        spinner.clear();
      }
    },
  };
}
