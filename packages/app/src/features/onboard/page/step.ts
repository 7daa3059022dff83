/** What a step of the wizard gets. */

export interface StepProps {
  /** To the next step. */
  readonly done: () => void;
}
