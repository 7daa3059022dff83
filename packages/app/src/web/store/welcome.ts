/** Whether the wizard was left in this tab: it comes by itself once, and stays a click away in the banner. */
const LEFT = "margay.welcome.left";
const STEP = "margay.welcome";

export function wasLeft(): boolean {
  return sessionStorage.getItem(LEFT) !== null;
}

/** A reload of the wizard continues at this step. */
export function keepStep(step: string): void {
  sessionStorage.setItem(STEP, step);
}

export function keptStep(): string | null {
  return sessionStorage.getItem(STEP);
}

export function leaveWizard(): void {
  sessionStorage.removeItem(STEP);
  sessionStorage.setItem(LEFT, "1");
}
