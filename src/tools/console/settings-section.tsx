// The settings that this console runs with: names and values, no secret among them.

import { Head, Scroll } from './layout.js';

interface SettingsProps {
  readonly settings: readonly (readonly [string, string])[];
}

export function Settings({ settings }: SettingsProps) {
  return (
    <section>
      <h2>Settings of this console</h2>
      <Scroll label="Settings of this console">
        <table class="stack">
          <Head names={['Setting', 'Value']} />
          <tbody>
            {settings.map(([name, value]) => (
              <tr>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
