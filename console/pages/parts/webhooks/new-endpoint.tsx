import { useState } from 'preact/hooks';
import { Switch, TextField } from '../form.tsx';
import type { Change, EndpointCalls, EventGroups } from './endpoint-calls.ts';

/** Adds a URL that events are sent to. Its secret is shown once. */
export function NewEndpoint<Type extends string>({
  create,
  groups,
  change: Change,
  made,
}: {
  readonly create: EndpointCalls<Type>['create'];
  readonly groups: EventGroups<Type>;
  readonly change: Change;
  readonly made: (secret: string) => void;
}) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [reach, setReach] = useState<'all' | 'some'>('all');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const toggle = (name: string) =>
    setChosen((known) => (known.includes(name) ? known.filter((one) => one !== name) : [...known, name]));
  const add = async () => {
    const types = groups.flatMap(([name, known]) => (reach === 'some' && chosen.includes(name) ? known : []));
    const { secret } = await create({ url: url.trim(), description, types });
    setUrl('');
    setDescription('');
    setChosen([]);
    made(secret);
  };
  return (
    <Change act={add} label="Add an endpoint" title="Add an endpoint">
      <TextField
        label="URL of the endpoint"
        type="url"
        placeholder="https://…"
        autoComplete="off"
        required
        maxLength={2_000}
        value={url}
        set={setUrl}
      />
      <TextField label="What it is for (optional)" maxLength={200} value={description} set={setDescription} />
      <div class="field">
        <span class="quiet">Events to send</span>
        <Switch
          label="Events to send"
          value={reach}
          set={setReach}
          options={[
            ['all', 'All events'],
            ['some', 'Only some'],
          ]}
        />
      </div>
      {reach === 'all' ? (
        <p class="quiet">Event types that are added later are included.</p>
      ) : (
        <fieldset>
          <legend>Events about</legend>
          <div class="ticks">
            {groups.map(([name], at) => (
              <label key={name} class="tick">
                <input
                  type="checkbox"
                  required={at === 0 && chosen.length === 0}
                  checked={chosen.includes(name)}
                  onChange={() => toggle(name)}
                />
                {name}
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </Change>
  );
}
