import { useState } from 'preact/hooks';
import { type StaffRole, staffRoles } from '../../../../src/operator/roles.ts';
import { inWords } from '../../format.ts';
import { TextField } from '../../parts/form.tsx';
import { operate } from '../operate.ts';
import { Time } from '../parts/names.tsx';
import { listOf } from '../parts/list.ts';
import { Pages } from '../parts/pages.tsx';
import { Records } from '../parts/records.tsx';
import { OldAndNew, Step } from '../parts/step.tsx';
import type { StaffMember } from '../schema.d.ts';
import { useMay, useStaff } from '../staff.ts';

const meanings: Readonly<Record<StaffRole, string>> = {
  admin: 'May do everything that the other roles may; also changes settings and roles, makes keys, exports lists.',
  treasury: 'Credits by hand, settles trades and stuck payouts, sets the limits of assets, decides proposals.',
  compliance: 'Reviews withdrawals, credits or keeps deposits in quarantine, freezes and unfreezes, decides proposals.',
  support: 'Opens and freezes accounts, revokes keys, begins recoveries, decides proposals.',
  auditor: 'Reads everything and changes nothing.',
};

const nameRoles = (roles: readonly string[]) => (roles.length === 0 ? 'none' : roles.map(inWords).join(', '));

/** Who works here, and what their roles let them do. */
export function StaffScreen() {
  const may = useMay();
  const { actor } = useStaff();
  const [turn, setTurn] = useState(0);
  const changed = () => setTurn((known) => known + 1);
  return (
    <>
      <div class="top">
        <h1>Staff</h1>
        {may('manage_staff') && <SetRoles changed={changed} />}
      </div>
      <section class="card">
        <Pages turn={turn} list={listOf('get /staff', {})}>
          {(rows) => (
            <Records
              label="Staff"
              rows={rows}
              keyOf={({ email }) => email}
              columns={[
                {
                  name: 'E-mail',
                  show: ({ email }) => (
                    <>
                      {email}
                      {email === actor && <span class="quiet"> (you)</span>}
                    </>
                  ),
                },
                { name: 'Roles', narrow: 'bare first', show: ({ roles }) => nameRoles(roles) },
                {
                  name: 'Roles since',
                  narrow: 'bare end',
                  show: ({ changedAt }) => (
                    <>
                      <span class="narrow">since </span>
                      <Time iso={changedAt} />
                    </>
                  ),
                },
                {
                  name: 'Change',
                  isStep: true,
                  narrow: 'beside' as const,
                  show: (member) => may('manage_staff') && <SetRoles member={member} changed={changed} />,
                },
              ]}
              empty="Nobody has a role yet. Give one to the first person."
            />
          )}
        </Pages>
        <p class="quiet">When somebody leaves, remove them in Cloudflare Access, and take their roles away here.</p>
      </section>
      <section class="card">
        <h2>What each role allows</h2>
        <Records
          label="What each role allows"
          rows={staffRoles}
          keyOf={(role) => role}
          columns={[
            { name: 'Role', show: inWords },
            { name: 'What it allows', narrow: 'bare', show: (role) => meanings[role] },
          ]}
          empty=""
        />
      </section>
    </>
  );
}

function SetRoles({ member, changed }: { readonly member?: StaffMember; readonly changed: () => void }) {
  const before = member?.roles ?? [];
  const [email, setEmail] = useState(member?.email ?? '');
  const [roles, setRoles] = useState<readonly StaffRole[]>(before);
  const isChanged = nameRoles(before) !== nameRoles(roles);
  const toggle = (role: StaffRole) =>
    setRoles((known) => staffRoles.filter((one) => known.includes(one) !== (one === role)));
  return (
    <Step
      label={member ? 'Set roles' : 'Add a person'}
      title={member ? `Roles of ${member.email}` : 'Add a person'}
      isReady={isChanged}
      act={() => operate('put /staff/{email}', { path: { email: email.trim().toLowerCase() }, body: { roles } })}
      done={changed}
    >
      {!member && <TextField label="E-mail, as Access knows it" type="email" required value={email} set={setEmail} />}
      <fieldset>
        <legend>May do</legend>
        {staffRoles.map((role) => (
          <label key={role} class="tick">
            <input type="checkbox" checked={roles.includes(role)} onChange={() => toggle(role)} />
            <span>
              {inWords(role)}
              <small class="below">{meanings[role]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {isChanged && <OldAndNew name="Roles" old={nameRoles(before)} next={nameRoles(roles)} />}
    </Step>
  );
}
