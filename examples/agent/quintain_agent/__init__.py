"""Agents: programs that play a kit with tools, within a budget, and leave a transcript.

An agent is any program with a module ``agent`` that has a function ``play``. It runs in the
sandbox, sees the files of a kit, and asks for tools: they run built-in attacks, draw practice games
from public data, measure guesses at these, and take the agent's own guesses. The tools see the kit
and nothing else. What does not belong here: attacks themselves, and the sandbox.
"""

from quintain_agent.games import Games
from quintain_agent.session import AgentLimits, Session, play_agent
from quintain_agent.tools import TOOLS, Toolbox

__all__ = ["TOOLS", "AgentLimits", "Games", "Session", "Toolbox", "play_agent"]
