/** What the team answers for its certificates from now on. */
export interface AccessProgramme {
  readonly status: number;
  readonly body: string;
}
