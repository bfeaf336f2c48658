# SPDX-License-Identifier: Apache-2.0
"""Environments for learning, with the interface of Gymnasium (which is used for spaces where it is installed).

    import dcsim, dcsim.environment
    scene = dcsim.open("scenes/push.json")
    environment = dcsim.environment.Environment(scene, reward=lambda e: -np.linalg.norm(e.position("box")[:2]))
    observation, information = environment.reset(seed=0)
    observation, reward, terminated, truncated, information = environment.step(environment.action_space.sample())
"""
from __future__ import annotations

import concurrent.futures
import operator
import os
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import Error, Scene, _check_scene
from ._library import lib

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


class Box:
    """The numbers between low and high [n], as gymnasium.spaces.Box has them."""

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low, self.high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        self.shape, self.dtype = self.low.shape, np.dtype(np.float64)
        self._random = np.random.default_rng()

    def seed(self, seed: int | None = None) -> None:
        """Begins the draws of sample anew."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> Floats:
        """A draw [n], uniform where there are bounds, normal where there are none."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        width = np.where(bounded, self.high - np.where(bounded, self.low, 0), 1)
        drawn: Floats = np.where(bounded, np.where(bounded, self.low, 0) + width * self._random.random(self.shape),
                                 self._random.standard_normal(self.shape))
        return drawn

    def contains(self, x: ArrayLike) -> bool:
        """Whether x has the shape and lies within the bounds."""
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all((self.low <= x) & (x <= self.high)))

    def __repr__(self) -> str:
        return f"Box({self.shape[0]})"


def _box(low: ArrayLike, high: ArrayLike) -> Any:
    try:
        from gymnasium.spaces import Box as Gymnasium
    except ImportError:
        return Box(low, high)
    return Gymnasium(np.asarray(low), np.asarray(high), dtype=np.float64)


class Environment:
    """A scene as an environment: one action moves it by repeat steps.

    action: "target", displacements of the actuators' targets from the scene's start [actuators] (m, rad), or "force",
    generalized forces [nv] (N, N m).  low, high: of actions, numbers or arrays; without bounds by default.
    Observations are (q, qd) [nq + nv].  reward(environment) -> number and success(environment) -> bool look at the
    environment after the action; an episode is cut off after steps steps, those of the scene by default.  noise: of the
    state that reset starts from, the deviation of every velocity (m/s, rad/s).
    """
    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, scene: Scene, reward: Callable[[Environment], float] | None = None, success: Callable[[Environment], Any] | None = None,
                 action: str = "target", low: ArrayLike = -np.inf, high: ArrayLike = np.inf, repeat: int = 1, steps: int = 0,
                 noise: float = 0.0) -> None:
        _check_scene(scene)
        if action not in ("target", "force"):
            raise ValueError(f'action must be "target" or "force" (is {action!r})')
        if operator.index(repeat) < 1 or operator.index(steps) < 0 or not noise >= 0:
            raise ValueError("repeat must be at least 1, steps and noise at least 0")
        self.scene, self._reward, self._success, self._action = scene, reward, success, action
        self._repeat, self._steps, self._noise = repeat, steps or scene.steps, noise
        count = scene.actuators if action == "target" else scene.nv
        if count == 0:
            raise ValueError(f'the scene has no {"actuators" if action == "target" else "bodies that move"}: there is nothing to act on')
        self.action_space = _box(np.broadcast_to(low, (count,)).copy(), np.broadcast_to(high, (count,)).copy())
        self.observation_space = _box(np.full(scene.nq + scene.nv, -np.inf), np.full(scene.nq + scene.nv, np.inf))
        self._simulation, self._random = scene.simulation(), np.random.default_rng()
        self._step: int | None = None
        self._bodies = {body.name: body for body in scene.bodies}

    @property
    def state(self) -> tuple[Floats, Floats]:
        """(q [nq], qd [nv]), copied."""
        return self._simulation.state

    def position(self, body: str) -> Floats:
        """Where the centre of mass of a free body is [3] (m); of a link its coordinates."""
        part = self._bodies[body].q
        return self.state[0][part.start:min(part.stop, part.start + 3)]

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Floats, dict[str, Any]]:
        """(observation [nq + nv], information) at the scene's start, with another draw of the noise."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._simulation.set_state()
        if self._noise:
            q, qd = self._simulation.state
            self._simulation.set_state(q, qd + self._noise * self._random.standard_normal(qd.shape))
        self._step = 0
        return np.concatenate(self.state), {}

    def step(self, action: ArrayLike) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """(observation, reward, terminated, truncated, information) after an action [actuators] or [nv].  A step that cannot be solved ends the episode with
        information["error"], its reward that of the state before."""
        if self._step is None:
            raise RuntimeError("reset the environment before its first step")
        given = np.asarray(action, dtype=np.float64)
        if given.shape != self.action_space.shape:
            raise ValueError(f"an action must have the shape {list(self.action_space.shape)} (has {list(given.shape)})")
        action = np.clip(given, self.action_space.low, self.action_space.high)
        information: dict[str, Any] = {}
        terminated = False
        try:
            for _ in range(self._repeat):
                self._simulation.step(**{self._action: action})
                self._step += 1
        except Error as error:
            information["error"], terminated = str(error), True
        information["success"] = bool(self._success(self)) if self._success else False
        reward = float(self._reward(self)) if self._reward else float(information["success"])
        return np.concatenate(self.state), reward, terminated or information["success"], self._step >= self._steps, information

    def close(self) -> None:
        """Lets go of the simulation."""
        self._simulation.close()


class VectorEnvironment:
    """count environments that step side by side on all cores; observations [count, n], rewards [count].  One whose episode
    has ended is reset by the next step, as Gymnasium's vector environments are by default."""

    def __init__(self, scene: Scene, count: int, threads: int | None = None, **options: Any) -> None:
        self.environments = [Environment(scene, **options) for _ in range(operator.index(count))]
        if not self.environments:
            raise ValueError("count must be at least 1")
        self.num_envs = count
        self.single_action_space, self.single_observation_space = self.environments[0].action_space, self.environments[0].observation_space
        self._ended = np.ones(count, dtype=bool)
        self._pool = concurrent.futures.ThreadPoolExecutor(min(count, threads or os.cpu_count() or 1), initializer=lib.dcsim_set_threads, initargs=(1,))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Floats, dict[str, Any]]:
        """(observations [count, nq + nv], information) at the start; environment i has the seed seed + i."""
        self._ended[:] = False
        made = [one.reset(seed=None if seed is None else seed + i) for i, one in enumerate(self.environments)]
        return np.stack([observation for observation, _ in made]), {}

    def step(self, actions: Any) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """(observations, rewards, terminated, truncated, information), each with one row an environment."""
        if len(actions) != self.num_envs:
            raise ValueError(f"there must be {self.num_envs} actions (are {len(actions)})")

        def work(i: int) -> tuple[Any, ...]:
            if self._ended[i]:
                return (*self.environments[i].reset()[:1], 0.0, False, False, {})
            return self.environments[i].step(actions[i])

        observations, rewards, terminated, truncated, information = zip(*self._pool.map(work, range(self.num_envs)))
        self._ended = np.array(terminated) | np.array(truncated)
        return (np.stack(observations), np.array(rewards), np.array(terminated), np.array(truncated),
                {"success": np.array([one.get("success", False) for one in information])})

    def close(self) -> None:
        """Ends the threads and closes all environments."""
        self._pool.shutdown()
        for one in self.environments:
            one.close()
